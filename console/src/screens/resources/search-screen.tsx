import type { Space } from '../../place';

export default function SearchScreen({ space, type }: { readonly space: Space; readonly type: string }) {
  return (
    <p>
      {space.tenant} {type}
    </p>
  );
}
