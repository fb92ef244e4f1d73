import { expect, test } from 'vitest'
import { dataText } from './data-text.ts'

test('given data of an event, when its text is asked for twice, then it is its JSON and was read once', () => {
  let reads = 0
  const data = {
    get at() {
      reads += 1
      return 5
    },
    note: 'a "b"',
  }
  expect([dataText(data), dataText(data)]).toEqual(['{"at":5,"note":"a \\"b\\""}', dataText(data)])
  expect(reads).toBe(1)
})

test('given two data alike, when their texts are asked for, then each has its own', () => {
  expect([dataText({ at: 1 }), dataText({ at: 2 })]).toEqual(['{"at":1}', '{"at":2}'])
})
