import { Text, Title } from '@mantine/core';
import { texts } from '../texts';

export default function NotFoundScreen() {
  return (
    <>
      <Title order={1} size="h2">
        {texts.failures.title}
      </Title>
      <Text mt="sm">{texts.failures.notFound}</Text>
    </>
  );
}
