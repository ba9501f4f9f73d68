import { STOP_SERVICES } from './global-setup';

export default async function globalTeardown(): Promise<void> {
  const stop: unknown = Reflect.get(process, STOP_SERVICES);
  if (typeof stop === 'function') await stop();
}
