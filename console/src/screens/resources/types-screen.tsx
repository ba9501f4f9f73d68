import type { Space } from '../../place';

export default function TypesScreen({ space }: { readonly space: Space }) {
  return <p>{space.tenant}</p>;
}
