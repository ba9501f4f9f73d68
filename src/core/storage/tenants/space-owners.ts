/** The tenants that spaces belong to, by number, for all tenants that were read from the database. */
export class SpaceOwners {
  private readonly tenants = new Map<number, number>();

  add(space: number, tenant: number): void {
    this.tenants.set(space, tenant);
  }

  /** Returns the tenant number of a space; negative for a base space, and for a space that was not read. */
  tenantOf(space: number): number {
    return this.tenants.get(space) ?? -space;
  }
}
