import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Server } from 'node:tls';
import { CommandBus } from '@nestjs/cqrs';
import { pino } from 'pino';
import { followCertificate, readCertificate } from './certificate.js';
import { readConfig } from './config.js';
import { DEMO_FILE, loadDemo, wantDemo } from './first-start/demo.js';
import { ensureTokens } from './first-start/tokens.js';
import { greeting } from './greeting.js';
import { createHttpApp } from './http-app.js';
import { openService, type Service } from './service.js';

/** How long a stop waits for calls under way, in milliseconds. */
const STOP_WITHIN = 10_000;

/** How often a first start looks whether its views are there, in milliseconds, and how often at most. */
const LOOK_EVERY = 20;
const LOOKS = 3_000;

async function viewsLive({ projection }: Service): Promise<void> {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    const views = projection()?.views ?? [];
    if (views.length > 0 && views.every(({ state }) => state === 'live')) return;
    await pause(LOOK_EVERY);
  }
}

/** Runs the service until it is told to stop (SIGINT, SIGTERM). */
export async function run(environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  const config = readConfig(environment);
  const logger = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  const certificate = config.tls === undefined ? undefined : readCertificate(config.tls);
  const service = await openService(config, logger);
  const { engine } = service;
  const isFirst = (await engine.log.head()) === 0n;
  if (isFirst && config.demo) wantDemo(config.dataDir);
  const app = await createHttpApp(service, logger, { ...config, certificate });
  const commands = app.get(CommandBus);

  await app.listen(config.port, config.host);
  const server = app.getHttpServer();
  if (config.tls !== undefined && server instanceof Server) followCertificate(server, config.tls, logger);
  const { port } = server.address() as AddressInfo;
  const url = `${config.tls === undefined ? 'http' : 'https'}://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
  if (engine.site.publicUrl === '') engine.site.publicUrl = url;

  // What a first start makes is looked for in the views, which a busy machine may take its time to begin.
  if (isFirst) await viewsLive(service);
  await ensureTokens(engine, commands, config.dataDir);
  if (config.demo) await loadDemo(engine, commands, config.dataDir);
  service.startWork();

  let stopping: Promise<void> | undefined;
  const stop = (): void => {
    stopping ??= (async () => {
      setTimeout(() => process.exit(1), STOP_WITHIN).unref();
      await app.close();
      await service.close();
      process.exit(0);
    })();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);

  const seconds = process.uptime().toFixed(1);
  const demo = existsSync(join(config.dataDir, DEMO_FILE));
  process.stdout.write(`${greeting({ url, dataDir: config.dataDir, demo, seconds })}\n`);
}
