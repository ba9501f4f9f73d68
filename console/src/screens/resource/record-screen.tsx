import type { Space } from '../../place';

export interface RecordScreenProps {
  readonly space: Space;
  readonly type: string;
  readonly id: string;
  /** Shows this version, and not the current one. */
  readonly versionId?: string | undefined;
  /** Begins with the history. */
  readonly isHistory?: boolean;
}

export default function RecordScreen({ space, type, id }: RecordScreenProps) {
  return (
    <p>
      {space.tenant} {type} {id}
    </p>
  );
}
