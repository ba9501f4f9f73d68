/** Contents of attachments. */
import { textOf, type JsonObject } from '../api/json';

/** The images that browsers show; as images they run no scripts. */
export function isImage(contentType: string): boolean {
  return /^image\/(?:png|jpe?g|gif|webp|bmp|svg\+xml)\b/i.test(contentType);
}

/** A name for the file of an attachment. */
export function fileName(attachment: JsonObject): string {
  const url = textOf(attachment['url']);
  const last = url?.replace(/[?#].*$/, '').replace(/^.*\//, '');
  return textOf(attachment['title']) ?? (last === undefined || last === '' ? 'attachment' : last);
}

/** The bytes of Base64, which may be broken into lines. Throws `Error` where it is none. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const bytes = atob(text.replaceAll(/\s+/g, ''));
  return Uint8Array.from(bytes, (character) => character.charCodeAt(0));
}
