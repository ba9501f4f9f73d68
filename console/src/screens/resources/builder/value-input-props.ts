/** What the inputs of a value need, whatever the type of its parameter. */
import type { SearchParameter } from '../../../fhir/search/search-parameters';
import type { Space } from '../../../place';

export interface ValueInputProps {
  readonly space: Space;
  readonly type: string;
  readonly parameter: SearchParameter;
  readonly modifier: string;
  /** As it stands in the address, without its prefix. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}
