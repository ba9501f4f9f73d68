/** Contents of attachments: what a browser can show of them without running anything, and names for their files. */
import { textOf, type JsonObject } from '../api/json';

/** How a content is shown; `none`: only as a file. */
export type Preview = 'image' | 'pdf' | 'text' | 'video' | 'audio' | 'none';

/** Contents that are shown as their text, whatever a browser would do with them. */
const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml)$|application\/(?:x-)?ndjson$)/;

/** Type and subtype in small letters, without parameters. */
export function mediaType(contentType: string): string {
  return contentType.replace(/;.*$/s, '').trim().toLowerCase();
}

/** As an image nothing runs scripts, SVG included. */
export function previewOf(contentType: string): Preview {
  const type = mediaType(contentType);
  if (/^image\/(?:png|jpe?g|gif|webp|bmp|svg\+xml)$/.test(type)) return 'image';
  if (type === 'application/pdf') return 'pdf';
  if (/^video\/(?:mp4|webm|ogg)$/.test(type)) return 'video';
  if (/^audio\/(?:mpeg|mp4|ogg|webm|wav|x-wav|aac|flac)$/.test(type)) return 'audio';
  return TEXT.test(type) ? 'text' : 'none';
}

/**
 * The type with which a browser gets the content: one that it does not run. Everything else is a file to download.
 */
export function safeType(contentType: string): string {
  const preview = previewOf(contentType);
  if (preview !== 'text' && preview !== 'none') return mediaType(contentType);
  return 'application/octet-stream';
}

/** True for the first bytes of a PDF. */
export function isPdf(bytes: Uint8Array): boolean {
  return String.fromCharCode(...bytes.subarray(0, 5)) === '%PDF-';
}

/** The text of a content, by the character set that its type names; UTF-8 where it names none that is known. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const [, charset = 'utf-8'] = /;\s*charset="?([\w-]+)/i.exec(contentType) ?? [];
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/** Characters that are not allowed in names of files, that nobody sees, or that turn the text around. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|]/gu;
const LONGEST_NAME = 120;

/** A name for the file of an attachment, with the ending of its type where it has none. */
export function fileName(attachment: JsonObject): string {
  const url = textOf(attachment['url']);
  const last = url?.replace(/[?#].*$/, '').replace(/^.*\//, '');
  const wanted = textOf(attachment['title']) ?? last ?? '';
  const name = wanted
    .replace(UNSAFE, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '')
    .slice(0, LONGEST_NAME);
  const safe = name === '' ? 'attachment' : name;
  const [, subtype = ''] = mediaType(textOf(attachment['contentType']) ?? '').split('/');
  const ending = subtype === 'plain' ? 'txt' : subtype.replace(/\+.*$/, '');
  return /\.\w{1,8}$/.test(safe) || !/^\w{1,8}$/.test(ending) ? safe : `${safe}.${ending}`;
}

/** The bytes of Base64, which may be broken into lines. Throws `Error` where it is none. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const characters = atob(text.replaceAll(/\s+/g, ''));
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = characters.charCodeAt(at);
  return bytes;
}
