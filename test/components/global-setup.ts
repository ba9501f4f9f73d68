import { installApart } from '../support/install-apart';

export default async function globalSetup(): Promise<void> {
  await installApart('test/components');
}
