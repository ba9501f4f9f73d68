/** The lines of a file of an export. */
import type { ReadFile } from '../../api/bulk-export';
import { withAbsoluteAttachments } from '../../fhir/absolute-attachments';
import { oneLine } from '../../fhir/one-line';

/** Yields the lines of a file, without line feeds. `root`: the absolute address of the FHIR root. */
export async function* exportLines(file: ReadFile, root: string): AsyncGenerator<string> {
  switch (file.kind) {
    case 'outcomes':
      yield* file.lines;
      return;
    case 'deleted':
      for await (const page of file.pages) for (const url of page) yield deletionOf(url);
      return;
    case 'resources':
      for await (const page of file.pages)
        for (const { text } of page) yield oneLine(withAbsoluteAttachments(text, root));
  }
}

function deletionOf(url: string): string {
  return JSON.stringify({
    resourceType: 'Bundle',
    type: 'transaction',
    entry: [{ request: { method: 'DELETE', url } }],
  });
}
