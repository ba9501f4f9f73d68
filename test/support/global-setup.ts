import { recordStatements } from './recorded-statements';
import { startServices } from './start-services';

/** Jest loads setup and teardown as two modules of one process, so that they share state in `process`. */
export const STOP_SERVICES = Symbol.for('andiron.stopServices');

export async function setUp(durable: boolean): Promise<void> {
  // Long runs make random statements without end.
  const endRecord = durable ? undefined : recordStatements();
  const services = await startServices(durable);
  const stop = async (): Promise<void> => {
    await services.stop();
    endRecord?.();
  };
  Object.defineProperty(process, STOP_SERVICES, { value: stop, configurable: true });
}

export default async function globalSetup(): Promise<void> {
  await setUp(false);
}
