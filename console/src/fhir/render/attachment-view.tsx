/** An attachment or Binary: shown where it is an image, opened where it is a PDF, and always to download. */
import { Button, Group, Image, Text } from '@mantine/core';
import { IconDownload, IconExternalLink } from '../../layout/icons/icons';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { textOf, type JsonObject } from '../../api/json';
import { request } from '../../api/send';
import { toFailure } from '../../api/failure';
import { FailureView } from '../../layout/failure-view';
import { absolute, fhirPath, resourcePath, type Space } from '../../place';
import { texts } from '../../texts';
import { isImage, fileName, fromBase64 } from '../attachment';
import { isWebAddress, parseReference } from '../reference';
import { WebLink } from './primitive-view';
import { useRenderSpace } from './render-space';

const PDF = 'application/pdf';
/** Larger ones are read when somebody asks. */
const SHOWN_BYTES = 5_000_000;

/** The content, from the record itself or read with the token of the person. */
async function readContent(space: Space, value: JsonObject): Promise<Blob> {
  const type = textOf(value['contentType']) ?? 'application/octet-stream';
  const data = textOf(value['data']);
  if (data !== undefined) return new Blob([fromBase64(data)], { type });
  const target = parseReference(textOf(value['url']) ?? '', absolute(fhirPath(space)));
  if (target.kind !== 'record') throw new Error(texts.record.noContent);
  const path = resourcePath(space, target.type, target.id, target.versionId);
  const response = await request(path, { headers: { accept: type } });
  if (!response.ok) throw toFailure(response.status, await response.text());
  return new Blob([await response.arrayBuffer()], { type });
}

/** The address of a content inside of the browser, as long as the component is there. */
function useBlobAddress(blob: Blob | undefined): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (blob === undefined) return undefined;
    const made = URL.createObjectURL(blob);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return blob === undefined ? undefined : address;
}

export function AttachmentView({ value }: { readonly value: JsonObject }) {
  const space = useRenderSpace();
  const [data, url] = [textOf(value['data']), textOf(value['url'])];
  const type = textOf(value['contentType']) ?? '';
  const target = parseReference(url ?? '', absolute(fhirPath(space)));
  const isHere = data !== undefined || target.kind === 'record';
  const isSmall = data !== undefined || Number(textOf(value['size']) ?? 0) < SHOWN_BYTES;
  const [isWanted, setWanted] = useState(isImage(type) && isSmall);
  const content = useQuery({
    queryKey: ['attachment', space, data ?? url],
    queryFn: () => readContent(space, value),
    enabled: isWanted && isHere,
    staleTime: Infinity,
    gcTime: 60_000,
  });
  const address = useBlobAddress(content.data);
  const name = fileName(value);
  if (!isHere)
    return url !== undefined && isWebAddress(url) ? <WebLink url={url} label={name} /> : <span>{name}</span>;
  return (
    <div>
      <Group gap="xs">
        <Text size="sm">{name}</Text>
        <Text size="xs" c="dimmed">
          {type}
        </Text>
        {address === undefined ? (
          <Button
            size="compact-xs"
            variant="default"
            loading={content.isFetching}
            onClick={() => setWanted(true)}
          >
            {texts.record.loadContent}
          </Button>
        ) : (
          <ContentButtons address={address} name={name} isPdf={type === PDF} />
        )}
      </Group>
      {content.isError ? <FailureView error={content.error} /> : null}
      {address !== undefined && isImage(type) ? (
        <Image src={address} alt={name} mah={360} w="auto" maw="100%" fit="contain" mt="xs" />
      ) : null}
    </div>
  );
}

interface ContentButtonsProps {
  readonly address: string;
  readonly name: string;
  readonly isPdf: boolean;
}

/** Only a PDF is opened: other documents could run scripts with the rights of this page. */
function ContentButtons({ address, name, isPdf }: ContentButtonsProps) {
  return (
    <>
      {isPdf ? (
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
