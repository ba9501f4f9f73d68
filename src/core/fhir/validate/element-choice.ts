export interface ElementChoice {
  readonly name: string;
  readonly types: readonly string[];
}
