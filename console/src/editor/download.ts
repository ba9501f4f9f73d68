/** Gives a text of FHIR JSON to the browser as a file. */
export function download(name: string, text: string): void {
  saveFile(name, new Blob([text], { type: 'application/fhir+json' }));
}

/** Gives any content to the browser as a file. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
