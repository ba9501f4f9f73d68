import { setUp } from './global-setup';

export default async function globalSetup(): Promise<void> {
  await setUp(true);
}
