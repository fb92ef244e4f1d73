import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findNatsServer } from './find-nats-server.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'nats-server-'))
  for (const name of ['nats-server', 'other']) {
    writeFileSync(join(folder, name), '#!/bin/sh\n')
    chmodSync(join(folder, name), 0o755)
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

test('given nats-server on PATH, when looked for, then it is found', () => {
  expect(findNatsServer({ PATH: `/nowhere:${folder}` })).toBe(join(folder, 'nats-server'))
})

test('given NATS_SERVER_PATH, when it can be run, then it wins over PATH, else that is said', () => {
  const chosen = join(folder, 'other')
  expect(findNatsServer({ PATH: folder, NATS_SERVER_PATH: chosen })).toBe(chosen)
  expect(() => findNatsServer({ PATH: folder, NATS_SERVER_PATH: '/nowhere' })).toThrow(
    /NATS_SERVER_PATH is \/nowhere, which is not a program/u,
  )
})
