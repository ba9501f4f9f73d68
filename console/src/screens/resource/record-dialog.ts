/** What the actions on a record need, and the dialogs that they open. */
import type { JsonObject } from '../../api/json';
import type { Space } from '../../place';

export interface RecordProps {
  readonly space: Space;
  readonly type: string;
  readonly id: string;
  readonly record: JsonObject;
}

export interface DialogProps extends RecordProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}
