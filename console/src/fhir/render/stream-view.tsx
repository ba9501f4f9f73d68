/** Images, PDFs, videos and sounds that the browser itself loads, and files that it saves: none of them passes through the page. */
import { Button, Image, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, type ReactNode } from 'react';
import { readContentAddress } from '../../api/content';
import { FailureView } from '../../layout/failure-view';
import { IconDownload, IconExternalLink } from '../../layout/icons/icons';
import type { Space } from '../../place';
import { texts } from '../../texts';
import classes from './render.module.css';

/** A source that fails again so soon after it was renewed is no matter of its address. */
const SOON_MS = 5_000;

async function addressOf(space: Space, key: string): Promise<string> {
  const address = await readContentAddress(space, key);
  if (address === undefined) throw new Error(texts.record.noContent);
  return address;
}

export interface StreamViewProps {
  readonly space: Space;
  /** `Binary/id`, or a version of it. */
  readonly content: string;
  readonly name: string;
  readonly kind: 'image' | 'pdf' | 'video' | 'audio';
}

/** Shows by addresses that are valid for a minute: one that has ended while it plays is replaced, at the same moment. */
export function StreamView({ space, content, name, kind }: StreamViewProps) {
  const at = useRef(0);
  const renewed = useRef(0);
  const address = useQuery({
    queryKey: ['content-address', space, content],
    queryFn: () => addressOf(space, content),
    // Another one would begin the play anew.
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  if (address.isError) return <FailureView error={address.error} isOfRecords />;
  if (address.data === undefined) return <Text size="sm">{texts.common.loading}</Text>;
  const renew = (): void => {
    if (Date.now() - renewed.current < SOON_MS) return;
    renewed.current = Date.now();
    void address.refetch();
  };
  if (kind === 'image')
    return (
      <Image
        src={address.data}
        alt={name}
        mah={360}
        w="auto"
        maw="100%"
        fit="contain"
        mt="xs"
        onError={renew}
      />
    );
  // The server has said the type: a browser shows it with its viewer of PDFs, or not at all.
  if (kind === 'pdf')
    return <iframe className={classes['document']} src={address.data} title={texts.record.preview(name)} />;
  const Player = kind;
  return (
    <Player
      className={classes['player']}
      src={address.data}
      controls
      preload="metadata"
      aria-label={texts.record.preview(name)}
      onTimeUpdate={({ currentTarget }) => (at.current = currentTarget.currentTime)}
      onLoadedMetadata={({ currentTarget }) => {
        if (at.current > 0) currentTarget.currentTime = at.current;
      }}
      onError={renew}
    />
  );
}

/** Saves a content of any length: the browser writes it to the file as it comes. */
export function SaveContent({ space, content, name }: Omit<StreamViewProps, 'kind'>) {
  const saving = useMutation({
    mutationFn: () => addressOf(space, content),
    onSuccess: (address) => {
      const link = document.createElement('a');
      link.href = address;
      link.download = name;
      link.click();
    },
  });
  return (
    <ContentAction
      label={texts.record.download}
      icon={<IconDownload size={14} aria-hidden />}
      action={saving}
      onClick={() => saving.mutate()}
    />
  );
}

/** Opens a PDF in a page of its own, from an address that was made for it. */
export function OpenContent({ space, content }: Pick<StreamViewProps, 'space' | 'content'>) {
  const opening = useMutation({
    mutationFn: async (page: Window | null) => {
      try {
        page?.location.replace(await addressOf(space, content));
      } catch (error) {
        page?.close();
        throw error;
      }
    },
  });
  const open = (): void => {
    // A browser opens pages at a click alone, and not when an answer has come.
    const page = window.open('about:blank', '_blank');
    if (page !== null) page.opener = null;
    opening.mutate(page);
  };
  return (
    <ContentAction
      label={texts.record.openContent}
      icon={<IconExternalLink size={14} aria-hidden />}
      action={opening}
      onClick={open}
    />
  );
}

interface ContentActionProps {
  readonly label: string;
  readonly icon: ReactNode;
  readonly action: { readonly isPending: boolean; readonly isError: boolean; readonly error: Error | null };
  readonly onClick: () => void;
}

/** A button, and what went wrong behind it. */
function ContentAction({ label, icon, action, onClick }: ContentActionProps) {
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        loading={action.isPending}
        leftSection={icon}
        onClick={onClick}
      >
        {label}
      </Button>
      {action.isError ? <FailureView error={action.error} isOfRecords /> : null}
    </>
  );
}
