import { Text } from '@mantine/core';
import { texts } from '../../texts';

/** Says that a change is stored, to screen readers too. */
export function Saved({ isSaved, words }: { readonly isSaved: boolean; readonly words?: string }) {
  return (
    <Text size="sm" role="status">
      {isSaved ? (words ?? texts.administration.form.saved) : ''}
    </Text>
  );
}
