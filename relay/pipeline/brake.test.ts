import { expect, test } from 'vitest'
import { Brake } from './brake.ts'

test('given two reasons to wait, when one is gone, then the source still waits', () => {
  let isRunning = true
  const brake = new Brake({
    pause: () => {
      isRunning = false
    },
    resume: () => {
      isRunning = true
    },
  })
  brake.hold('client')
  brake.hold('quota')
  brake.free('quota')
  expect(isRunning).toBe(false)
  brake.free('client')
  expect(isRunning).toBe(true)
  brake.free('client')
  expect(isRunning).toBe(true)
})
