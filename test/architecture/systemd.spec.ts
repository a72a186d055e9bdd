import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const UNIT = 'deploy/holdfast.service';

/** The directives of a unit, each with all of its values, in the order of the file. */
function directivesOf(text: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  let section = '';
  for (const line of text.split('\n')) {
    if (line === '' || /^[#;]/.test(line)) continue;
    const [, title] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, name, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (title !== undefined) section = title;
    else if (name === undefined) throw new Error(`${line} is no directive`);
    else found.set(`${section}.${name}`, [...(found.get(`${section}.${name}`) ?? []), value]);
  }
  return found;
}

/** What the unit must say: a change of one of these is a change of what the service may do. */
const MUST: Readonly<Record<string, readonly string[]>> = {
  'Service.Type': ['exec'],
  'Service.User': ['holdfast'],
  'Service.KillMode': ['mixed'],
  'Service.Restart': ['on-failure'],
  'Service.StateDirectory': ['holdfast holdfast-erasures'],
  'Service.StateDirectoryMode': ['0700'],
  'Service.UMask': ['0077'],
  'Service.ProtectSystem': ['strict'],
  'Service.ProtectHome': ['true'],
  'Service.PrivateTmp': ['true'],
  'Service.PrivateDevices': ['true'],
  'Service.PrivateUsers': ['true'],
  'Service.NoNewPrivileges': ['true'],
  'Service.CapabilityBoundingSet': [''],
  'Service.AmbientCapabilities': [''],
  'Service.RestrictSUIDSGID': ['true'],
  'Service.RestrictNamespaces': ['true'],
  'Service.RestrictRealtime': ['true'],
  'Service.LockPersonality': ['true'],
  'Service.ProtectProc': ['invisible'],
  'Service.ProtectClock': ['true'],
  'Service.ProtectHostname': ['true'],
  'Service.ProtectKernelTunables': ['true'],
  'Service.ProtectKernelModules': ['true'],
  'Service.ProtectKernelLogs': ['true'],
  'Service.ProtectControlGroups': ['true'],
  'Service.RestrictAddressFamilies': ['AF_INET AF_INET6 AF_UNIX AF_NETLINK'],
  'Service.SystemCallArchitectures': ['native'],
  'Service.SystemCallFilter': ['@system-service', '~@privileged @resources'],
};

describe('G11.3: the systemd unit', () => {
  const directives = directivesOf(readFileSync(UNIT, 'utf8'));

  it('has its hardening', () => {
    const found = Object.keys(MUST).map((name) => [name, directives.get(name)]);
    expect(Object.fromEntries(found)).toEqual(MUST);
    // Node writes machine code while it runs.
    expect(directives.has('Service.MemoryDenyWriteExecute')).toBe(false);
  });

  it('starts Node itself, which a stop reaches, and which has its time to end', () => {
    const [start = ''] = directives.get('Service.ExecStart') ?? [];
    expect(start).toBe('/usr/bin/env node scripts/run.mjs --no-build dist/apps/api/main.js');
    expect(Number(directives.get('Service.TimeoutStopSec'))).toBeGreaterThan(10);
  });

  it('is what the manual shows how to install', () => {
    expect(readFileSync('docs/operating.md', 'utf8')).toContain(`cp ${UNIT} /etc/systemd/system/`);
  });
});
