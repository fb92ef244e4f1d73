import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findChromium, findHeadlessShell } from './chromium.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chromium-'))
  for (const name of ['chromium-browser', 'google-chrome', 'chromium-headless-shell', 'other']) {
    writeFileSync(join(folder, name), '#!/bin/sh\n')
    chmodSync(join(folder, name), 0o755)
  }
  writeFileSync(join(folder, 'chromium'), 'not executable')
  chmodSync(join(folder, 'chromium'), 0o644)
})
afterAll(() => rmSync(folder, { recursive: true }))

test('given several browsers on PATH, when looked for, then the first that can be run is taken', () => {
  expect(findChromium({ PATH: folder })).toBe(join(folder, 'chromium-browser'))
})

test('given CHROMIUM_PATH, when it can be run, then it wins over PATH', () => {
  const chosen = join(folder, 'other')
  expect(findChromium({ PATH: folder, CHROMIUM_PATH: chosen })).toBe(chosen)
})

test('given CHROMIUM_PATH, when it cannot be run, then that is said instead of taking another', () => {
  expect(() => findChromium({ PATH: folder, CHROMIUM_PATH: join(folder, 'chromium') })).toThrow(
    /CHROMIUM_PATH is .*chromium, which is not a program/u,
  )
})

test('given a Chromium without windows on PATH, when looked for, then it is taken', () => {
  expect(findHeadlessShell({ PATH: folder })).toBe(join(folder, 'chromium-headless-shell'))
})

test('given CHROMIUM_PATH, when one without windows is looked for, then there is none beside it', () => {
  expect(findHeadlessShell({ PATH: folder, CHROMIUM_PATH: join(folder, 'other') })).toBe(null)
})
