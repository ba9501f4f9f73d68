import { fhirError } from '../../core';

/** Counts the concurrent uploads of large content in this process. */
export class UploadTurns {
  readonly #tenants = new Map<number, number>();
  #total = 0;

  constructor(
    private readonly most: number,
    private readonly mostOfTenant: number,
  ) {}

  /** Returns a function to call at the end of the upload. Throws `tooManyUploads`. */
  enter(tenant: number): () => void {
    const count = this.#tenants.get(tenant) ?? 0;
    if (count >= this.mostOfTenant)
      throw fhirError('tooManyUploads', { limit: this.mostOfTenant, of: 'of this tenant' });
    if (this.#total >= this.most)
      throw fhirError('tooManyUploads', { limit: this.most, of: 'of the server' });
    this.#total += 1;
    this.#tenants.set(tenant, count + 1);
    return () => {
      this.#total -= 1;
      const left = (this.#tenants.get(tenant) ?? 1) - 1;
      if (left === 0) this.#tenants.delete(tenant);
      else this.#tenants.set(tenant, left);
    };
  }
}
