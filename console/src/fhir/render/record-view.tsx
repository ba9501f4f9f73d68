/** A whole record as people read it. */
import type { JsonObject } from '../../api/json';
import { ItemView } from './item-view';
import { RecordFields } from './record-fields';
import { RenderItem } from './render-item';
import { RenderRecord } from './render-space';

export function RecordView({ record }: { readonly record: JsonObject }) {
  return (
    <RenderRecord value={record}>
      <RenderItem value={ItemView}>
        <RecordFields record={record} />
      </RenderItem>
    </RenderRecord>
  );
}
