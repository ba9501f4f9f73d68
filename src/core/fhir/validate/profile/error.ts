/** A StructureDefinition that resources cannot be judged by; the message ends a sentence that names it. */
export class ProfileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** A StructureDefinition that takes too much work to compile. */
export class ProfileLimit extends ProfileError {}
