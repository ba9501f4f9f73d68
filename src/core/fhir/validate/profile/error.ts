/** A StructureDefinition that cannot be used for validation; the message ends a sentence that names it. */
export class ProfileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** A StructureDefinition that takes too much work to compile. */
export class ProfileLimit extends ProfileError {}
