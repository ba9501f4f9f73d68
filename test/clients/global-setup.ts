import { setUp } from '../support/global-setup';
import { installApart } from '../support/install-apart';

/** Installs the packages of this folder, and starts the services. */
export default async function globalSetup(): Promise<void> {
  await installApart('test/clients');
  await setUp(false);
}
