import { expect } from '@jest/globals';
import { HAS_PYTHON, runTool } from './certificate-tool.js';
import type { RunningService } from './running-service.js';

/** The events of a deal, and the certificate that the service makes from the same ones: more may come in between. */
export async function certificateOf(service: RunningService, deal: string): Promise<{ text: string; lines: string }> {
  const ask = async (what: string): Promise<string> => {
    const path = `/auditors/deals/${deal}/${what}`;
    const { status, text } = await service.ask('GET', path, { token: service.auditorToken });
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
    return text;
  };
  const lines = await ask('events');
  const { position } = JSON.parse(lines.slice(0, lines.indexOf('\n'))).export;
  return { text: await ask(`certificate?until=${position}`), lines };
}

/** Expects that the certificates of these deals are sound, and that `tools/certificate.py` makes the same ones. */
export async function expectSoundCertificates(service: RunningService, deals: readonly string[]): Promise<void> {
  for (const deal of deals) {
    const { text, lines } = await certificateOf(service, deal);
    expect(text.split('\n').filter((line) => /^(fault|verdict)/.test(line))).toEqual(['verdict: sound']);
    if (HAS_PYTHON) expect(runTool(lines)).toEqual({ code: 0, out: text, err: '' });
  }
}
