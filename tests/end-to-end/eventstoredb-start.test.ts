import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testAuthority } from '../support/engines/certificates.ts'
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../support/engines/eventstoredb-double/double.ts'
import { until } from '../support/processes.ts'
import { freePort } from '../support/free-port.ts'
import { TollgateProcess } from '../support/tollgate-process.ts'

/** The product as an operator starts it, on a server that wants TLS and a user. */
const folder = mkdtempSync(join(tmpdir(), 'tollgate-esdb-start-'))
const TEST_MS = 150_000
let double: EventStoreDbDouble

beforeAll(async () => {
  const authority = testAuthority()
  writeFileSync(join(folder, 'ca.crt'), authority.cert)
  double = await startEventStoreDbDouble(undefined, authority.issue(['127.0.0.1']))
  double.rights.user = { name: 'tollgate', password: 'open-sesame-7' }
})
afterAll(async () => {
  await double.close()
  rmSync(folder, { recursive: true, force: true })
})

async function tollgate(password: string): Promise<TollgateProcess> {
  return new TollgateProcess('all-in-one', await freePort(), {
    DATA_DIR: join(folder, 'data'),
    EVENTSTORE_URL: `esdb://tollgate:${password}@${double.host}?tlsCAFile=${join(folder, 'ca.crt')}`,
  })
}

test(
  'given a late server that is not ready at first, when Tollgate starts, then it says so once and runs',
  { timeout: TEST_MS },
  async () => {
    double.rights.isStarting = true
    await double.die()
    const running = await tollgate('open-sesame-7')
    const child = running.launch()
    const says = (text: string): number => running.logs().split(text).length - 1
    try {
      await until('it waits', () => says('waiting for EventStoreDB') > 0, TEST_MS / 2)
      await double.comeBack()
      setTimeout(() => (double.rights.isStarting = false), 1_000)
      await until('it is ready', () => says('Tollgate is ready at') > 0, TEST_MS / 2)
      expect(says('waiting for EventStoreDB')).toBe(1)
      expect((await fetch(`${running.url}/readyz`)).status).toBe(200)
      await running.terminate()
      expect(running.logs()).not.toContain('open-sesame-7')
    } finally {
      child.kill('SIGKILL')
    }
  },
)

test(
  'given a server with open rights, when Tollgate starts, then it warns of just what is open',
  { timeout: TEST_MS },
  async () => {
    const open = (where: string): string =>
      `other users of EventStoreDB may write to the ledger or cut it (${where})`
    const running = await tollgate('open-sesame-7')
    const expectSaid = async (text: string): Promise<void> => {
      await until('it is warned of', async () => {
        const readyz = await fetch(`${running.url}/readyz`)
        const { warning } = (await readyz.json()) as { readonly warning?: string }
        return readyz.status === 200 && warning?.includes(text) === true
      })
      expect(running.logs().split(text)).toHaveLength(2)
    }
    try {
      await running.start()
      await expectSaid(open('by the default ACL: $all'))
      await running.terminate()
      double.log.append('$settings', 'any', [
        {
          id: crypto.randomUUID(),
          type: 'update-default-acl',
          contentType: 'application/json',
          data: Buffer.from(JSON.stringify({ $userStreamAcl: defaultAclOfDocs() })),
          metadata: new Uint8Array(),
        },
      ])
      double.log.setMetadata('account-7', { $acl: { $w: '$all' } })
      await running.start()
      await expectSaid(open('by the ACL of account-7'))
    } finally {
      if (running.isRunning) await running.terminate()
    }
  },
)

/** As the steps in docs/eventstoredb.md have an administrator post it. */
function defaultAclOfDocs(): object {
  const docs = readFileSync(new URL('../../docs/eventstoredb.md', import.meta.url), 'utf8')
  const [, json = ''] = /--data '(\{"\$userStreamAcl":.*\})'/u.exec(docs) ?? []
  return (JSON.parse(json) as { readonly $userStreamAcl: object }).$userStreamAcl
}

test(
  'given a wrong password, when Tollgate starts, then it ends at once with one line on what to do',
  { timeout: TEST_MS },
  async () => {
    const running = await tollgate('wrong-secret')
    const child = running.launch()
    await once(child, 'exit', { signal: AbortSignal.timeout(TEST_MS) })
    expect(child.exitCode).toBe(1)
    expect(running.logs()).toMatch(
      /^Tollgate cannot start\.\nEventStoreDB at 127\.0\.0\.1:\d+ cannot be used: it does not know the user or the password\. Write EVENTSTORE_URL as .*\n/m,
    )
    expect(running.logs()).not.toMatch(/^ {4}at |wrong-secret/m)
  },
)
