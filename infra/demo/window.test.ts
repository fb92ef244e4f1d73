import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openWindow, WINDOW_MS } from './window.ts'

test('given requests of made-up times, when one is much older than the next, then that one waits for it', async () => {
  const inWindow = openWindow()
  const leaveFirst = await inWindow(0)
  const leaveSecond = await inWindow(WINDOW_MS)
  let isIn = false
  const third = inWindow(WINDOW_MS + 1).then((leave) => {
    isIn = true
    return leave
  })
  await turn()
  expect(isIn).toBe(false)
  leaveFirst()
  const leaveThird = await third
  expect(isIn).toBe(true)
  leaveSecond()
  leaveThird()
  await inWindow(10 * WINDOW_MS)
})
