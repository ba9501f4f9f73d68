/** The url of a code system or value set, with a link where the server has it. */
import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import type { Kind } from '../../api/terminology';
import { screenPath, type Space } from '../../place';
import { useDefinitions } from './use-definitions';

export interface KnownUrlProps {
  readonly space: Space;
  readonly kind: Kind;
  /** May have a version after a bar. */
  readonly url: string;
}

export function KnownUrl({ space, kind, url }: KnownUrlProps) {
  const definitions = useDefinitions(space, kind);
  const [plain] = url.split('|');
  const known = definitions.data?.definitions.find((each) => each.url === plain);
  if (known === undefined) return <>{url}</>;
  return (
    <Anchor
      underline="always"
      component={Link}
      to={screenPath(space, `terminology/${kind}/${known.id}`)}
      size="sm"
      title={url}
    >
      {known.name}
    </Anchor>
  );
}
