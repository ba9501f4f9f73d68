/** Sends requests as people write them, and files of them. */
import { Stack, Tabs } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { useSpace } from '../../layout/current-screen';
import { ScreenHeading } from '../../layout/heading';
import { texts } from '../../texts';
import { FileTab } from './file-tab';
import { RequestTab } from './request-tab';

const { rest } = texts;

export default function RestScreen() {
  const space = useSpace();
  const key = `${space.tenant}/${space.release}`;
  const { search } = useLocation();
  const [tab, setTab] = useState<string | null>('request');
  const [file, setFile] = useState<File>();
  const path = new URLSearchParams(search).get('path') ?? '';
  return (
    <Stack
      gap="lg"
      mih="70dvh"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        const [dropped] = event.dataTransfer.files;
        if (dropped === undefined) return;
        // The browser would open it in place of the console.
        event.preventDefault();
        setFile(dropped);
        setTab('file');
      }}
    >
      <ScreenHeading intro={rest.intro} />
      <Tabs value={tab} onChange={setTab} keepMounted>
        <Tabs.List>
          <Tabs.Tab value="request">{rest.requestTab}</Tabs.Tab>
          <Tabs.Tab value="file">{rest.fileTab}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="request" pt="md">
          <RequestTab key={`${key} ${path}`} space={space} path={path} />
        </Tabs.Panel>
        <Tabs.Panel value="file" pt="md">
          <FileTab key={key} space={space} file={file} onFile={setFile} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}
