import { SETTINGS_STREAM } from '@tollgate/domain/event.ts'
import {
  callerWith,
  callRoute,
  type CommandApiFixture,
  openCommandApiFixture,
} from '@tollgate/tests/support/command-api.ts'
import { OPTION_CASES } from '@tollgate/tests/support/option-cases.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { adjustmentNotes } from '../identity/adjustment-notes.ts'
import { optionSecrets } from '../secrets/option-secrets.ts'
import { followOptions, type LiveOptions } from './live-options.ts'
import { optionRoutes } from './routes.ts'

let fixture: CommandApiFixture
let options: LiveOptions
let routes: ReturnType<typeof optionRoutes>
const caller = callerWith(1, 100)

beforeAll(async () => {
  fixture = await openCommandApiFixture()
  const secrets = optionSecrets(fixture.db, fixture.vault)
  options = await followOptions({ ...fixture, secrets })
  routes = optionRoutes({ ...fixture, secrets, options, notes: adjustmentNotes(fixture.db) })
})
afterAll(async () => {
  await fixture.close()
  await options.ended
})

const put = (body: object) => callRoute(routes, 'PUT /api/option', { body, caller })
async function list(): Promise<ReadonlyMap<string, string>> {
  const { data } = await callRoute(routes, 'GET /api/option', { caller })
  return new Map((data as { key: string; value: string }[]).map((one) => [one.key, one.value]))
}

test('given every option, when put, then it is listed as it is kept, unless it must not be shown', async () => {
  const seen: unknown[] = []
  const expected: unknown[] = []
  for (const { key, takes, shown, needs = [] } of OPTION_CASES) {
    for (const [needed, value] of needs) await put({ key: needed, value })
    for (const [value, kept] of takes) {
      const reply = await put({ key, value })
      const listed = (await list()).get(key)
      const held =
        shown === 'secret' ? options.secret(key) : new Map(options.current().entries()).get(key)
      seen.push([key, value, reply.message, reply.success, listed, held])
      expected.push([key, value, undefined, undefined, shown === 'listed' ? kept : undefined, kept])
    }
  }
  expect(seen).toEqual(expected)
}, 60_000)

test('given every text that is refused, when put, then the message says so and nothing changes', async () => {
  const before = await list()
  for (const { key, refuses } of OPTION_CASES) {
    for (const [value, message] of refuses) {
      expect(await put({ key, value })).toMatchObject({ success: false, message })
    }
  }
  expect(await list()).toEqual(before)
}, 60_000)

test('given all those changes, when their events are read, then each has its actor and no secret', async () => {
  const events = await fixture.eventsOf(SETTINGS_STREAM)
  expect(events.length).toBeGreaterThan(100)
  for (const { metadata } of events) expect(metadata.actor).toBe('user:1')
  expect(JSON.stringify(events)).not.toContain('hush')
  expect(JSON.stringify([...(await list())])).not.toContain('hush')
})

test('given secrets, when put empty or without a value, then they stay; what is public is emptied', async () => {
  for (const { key, shown } of OPTION_CASES.filter((one) => one.shown !== 'listed')) {
    await put({ key })
    if (shown === 'secret') await put({ key, value: '' })
    expect(shown === 'secret' ? options.secret(key) : options.current().stored(key)).not.toBe('')
  }
})

test('given unknown keys, when put, then they are listed, except those that end like secrets', async () => {
  await put({ key: 'theme.colour', value: 'blue' })
  await put({ key: 'AnotherToken', value: 'hush' })
  const listed = await list()
  expect(listed.get('theme.colour')).toBe('blue')
  expect(listed.has('AnotherToken')).toBe(false)
  await put({ key: 'AnotherToken' })
  expect(options.secret('AnotherToken')).toBe('hush')
})
