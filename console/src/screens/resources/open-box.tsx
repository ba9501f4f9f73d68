/** A field that opens a record or search by its address. */
import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { placeOf } from '../../fhir/search/search-address';
import { fhirPath, type Space } from '../../place';
import { texts } from '../../texts';

const { resources } = texts;

export function OpenBox({ space }: { readonly space: Space }) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [isRefused, setRefused] = useState(false);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const place = placeOf(text, fhirPath(space));
        setRefused(place === undefined);
        if (place !== undefined) void navigate(place);
      }}
    >
      <Group align="start" gap="xs">
        <TextInput
          label={resources.openLabel}
          description={resources.openHint}
          placeholder="Patient/example"
          value={text}
          error={isRefused ? resources.openInvalid : undefined}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setRefused(false);
          }}
          required
          withAsterisk={false}
          w={{ base: '100%', xs: 420 }}
        />
        <Button type="submit" variant="default" mt={{ base: 0, xs: 44 }}>
          {resources.open}
        </Button>
      </Group>
    </form>
  );
}
