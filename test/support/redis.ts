/** A Redis for one test to kill and to bring back, beside the one that all tests share. */
import { type EmbeddedRedis, startEmbeddedRedis } from '../../src/embedded/redis';
import { closedAtEnd } from './left-open';
import { findRedisProgram } from './programs';

export interface TestRedis {
  readonly host: string;
  readonly port: number;
  /** Ends it; clients see their connections break. */
  stop(): Promise<void>;
  /** Starts it again, empty, on the same port. */
  restart(): Promise<void>;
}

export async function startTestRedis(): Promise<TestRedis> {
  const program = await findRedisProgram();
  let running: EmbeddedRedis = await startEmbeddedRedis(program);
  const { host, port } = running;
  closedAtEnd(() => running.stop());
  return {
    host,
    port,
    stop: () => running.stop(),
    async restart() {
      await running.stop();
      running = await startEmbeddedRedis(program, port);
    },
  };
}
