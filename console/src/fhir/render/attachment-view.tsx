/** An attachment or Binary: images, texts and PDFs are shown, without running anything; all are downloaded under their names. */
import { Button, Group, Image, Text } from '@mantine/core';
import { IconDownload, IconExternalLink } from '../../layout/icons/icons';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { textOf, type JsonObject } from '../../api/json';
import { request } from '../../api/send';
import { toFailure } from '../../api/failure';
import { FailureView } from '../../layout/failure-view';
import { absolute, fhirPath, resourcePath, type Space } from '../../place';
import { texts } from '../../texts';
import { decodeText, fileName, fromBase64, isPdf, previewOf, safeType } from '../attachment';
import { isWebAddress, parseReference } from '../reference';
import { LongText } from './long-text';
import { WebLink } from './primitive-view';
import classes from './render.module.css';
import { useRenderSpace } from './render-space';
import { OpenContent, SaveContent, StreamView } from './stream-view';

/** Larger ones are read when somebody asks. */
const SHOWN_BYTES = 5_000_000;
/** What the browser loads by itself, in parts where it can. */
const STREAMS = ['image', 'pdf', 'video', 'audio'] as const;

/** The bytes, from the record itself or read with the token of the person. */
async function readContent(space: Space, value: JsonObject): Promise<Uint8Array<ArrayBuffer>> {
  const data = textOf(value['data']);
  if (data !== undefined) return fromBase64(data);
  const target = parseReference(textOf(value['url']) ?? '', absolute(fhirPath(space)));
  if (target.kind !== 'record') throw new Error(texts.record.noContent);
  const path = resourcePath(space, target.type, target.id, target.versionId);
  const accept = textOf(value['contentType']) ?? '*/*';
  const response = await request(path, { headers: { accept } });
  if (!response.ok) throw toFailure(response.status, await response.text());
  return new Uint8Array(await response.arrayBuffer());
}

const keyOf = ({
  type,
  id,
  versionId,
}: {
  type: string;
  id: string;
  versionId?: string | undefined;
}): string => `${type}/${id}${versionId === undefined ? '' : `/_history/${versionId}`}`;

/** The address of a content inside of the browser, as long as the component is there. */
function useBlobAddress(bytes: Uint8Array<ArrayBuffer> | undefined, type: string): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (bytes === undefined) return undefined;
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  return bytes === undefined ? undefined : address;
}

export function AttachmentView({ value }: { readonly value: JsonObject }) {
  const space = useRenderSpace();
  const id = useId();
  const [data, url] = [textOf(value['data']), textOf(value['url'])];
  const type = textOf(value['contentType']) ?? '';
  const target = parseReference(url ?? '', absolute(fhirPath(space)));
  const isHere = data !== undefined || target.kind === 'record';
  const isSmall = (data?.length ?? Number(textOf(value['size']) ?? 0)) < SHOWN_BYTES;
  const preview = previewOf(type);
  /** What the browser loads by itself; the rest is read with the token of the person. */
  const remote = data === undefined && target.kind === 'record' ? keyOf(target) : undefined;
  const [isWanted, setWanted] = useState(preview === 'image' && isSmall);
  const stream = remote === undefined ? undefined : STREAMS.find((kind) => kind === preview);
  const content = useQuery({
    // Content inside of the record is no key: megabytes would be compared at each drawing.
    queryKey: ['attachment', space, data === undefined ? url : id],
    queryFn: () => readContent(space, value),
    enabled: isWanted && isHere && stream === undefined,
    staleTime: Infinity,
    gcTime: data === undefined ? 60_000 : 0,
    structuralSharing: false,
    retry: false,
  });
  const address = useBlobAddress(content.data, safeType(type));
  const name = fileName(value);
  const canOpen = preview === 'pdf' && content.data !== undefined && isPdf(content.data);
  if (!isHere)
    return url !== undefined && isWebAddress(url) ? <WebLink url={url} label={name} /> : <span>{name}</span>;
  return (
    <div>
      <Group gap="xs">
        <Text size="sm">{name}</Text>
        <Text size="xs" c="dimmed">
          {type}
        </Text>
        {address !== undefined ? (
          <ContentButtons address={address} name={name} canOpen={canOpen} />
        ) : (stream !== undefined && isWanted) || (remote !== undefined && preview === 'none') ? null : (
          <Button
            size="compact-xs"
            variant="default"
            loading={content.isFetching}
            onClick={() => setWanted(true)}
          >
            {texts.record.loadContent}
          </Button>
        )}
        {remote !== undefined && preview === 'pdf' ? <OpenContent space={space} content={remote} /> : null}
        {remote === undefined || address !== undefined ? null : (
          <SaveContent space={space} content={remote} name={name} />
        )}
      </Group>
      {remote !== undefined && stream !== undefined && isWanted ? (
        <StreamView space={space} content={remote} name={name} kind={stream} />
      ) : null}
      {content.isError ? <FailureView error={content.error} /> : null}
      {address === undefined || content.data === undefined ? null : (
        <ContentPreview address={address} name={name} type={type} bytes={content.data} />
      )}
    </div>
  );
}

interface ContentPreviewProps {
  readonly address: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** What a content looks like. A page of HTML is shown as its source. */
function ContentPreview({ address, name, type, bytes }: ContentPreviewProps) {
  const preview = previewOf(type);
  if (preview === 'image')
    return <Image src={address} alt={name} mah={360} w="auto" maw="100%" fit="contain" mt="xs" />;
  // The viewer of the browser gets it under the type of a PDF, whatever else is in it.
  if (preview === 'pdf' && isPdf(bytes))
    return <iframe className={classes['document']} src={address} title={texts.record.preview(name)} />;
  if (preview === 'video' || preview === 'audio') {
    const Player = preview;
    return (
      <Player className={classes['player']} src={address} controls aria-label={texts.record.preview(name)} />
    );
  }
  if (preview !== 'text') return null;
  return (
    <div className={classes['source']} role="group" aria-label={texts.record.preview(name)} tabIndex={0}>
      <LongText text={decodeText(bytes.subarray(0, SHOWN_BYTES), type)} />
    </div>
  );
}

interface ContentButtonsProps {
  readonly address: string;
  readonly name: string;
  readonly canOpen: boolean;
}

/** Only a PDF is opened: other documents could run scripts with the rights of this page. */
function ContentButtons({ address, name, canOpen }: ContentButtonsProps) {
  return (
    <>
      {canOpen ? (
        <Button
          component="a"
          href={address}
          target="_blank"
          rel="noopener"
          size="compact-xs"
          variant="default"
          leftSection={<IconExternalLink size={14} aria-hidden />}
        >
          {texts.record.openContent}
        </Button>
      ) : null}
      <Button
        component="a"
        href={address}
        download={name}
        size="compact-xs"
        variant="default"
        leftSection={<IconDownload size={14} aria-hidden />}
      >
        {texts.record.download}
      </Button>
    </>
  );
}
