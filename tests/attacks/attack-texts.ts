const ALPHABETS = {
  'random letters': 'abcdefghijklmnopqrstuvwxyz',
  'letters of both cases': 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ',
  base64: 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/',
  digits: '0123456789',
  'mixed white space': ' \n\t\r\u3000',
  Tibetan: 'ཀཁགངཅཆཇཉཏཐདནཔཕབམཙཚཛཝཞཟའཡརལཤསཧཨ',
  signs: '!?.,;:-_=+*/\\|<>()[]{}#$%&@^~`"\'',
} as const

const REPEATED = {
  'one letter': 'a',
  spaces: ' ',
  'line ends': '\n',
  emoji: '👩‍👩‍👧‍👦🏳️‍🌈',
  marks: 'a\u0301\u0302\u0303\u0304\u0305',
  'byte order marks': '\ufeff',
  'dear needles in cheap text': `${'word '.repeat(3_000)}${han(1_000)}`,
  'cheap text in dear': `${'word '.repeat(200)}${drawn(ALPHABETS['random letters'], 20_000)}`,
} as const

type Mixed = 'Chinese characters' | 'cheap half, dear half'
export type AttackName = keyof typeof ALPHABETS | keyof typeof REPEATED | Mixed

/** A text made to be dear or misleading to count, `length` UTF-16 units; the same one every time. */
export function attackText(name: AttackName, length: number): string {
  if (name in ALPHABETS) return drawn(ALPHABETS[name as keyof typeof ALPHABETS], length)
  if (name in REPEATED) {
    const piece = REPEATED[name as keyof typeof REPEATED]
    return piece
      .repeat(Math.ceil(length / piece.length))
      .slice(0, length)
      .toWellFormed()
  }
  const cheap = name === 'cheap half, dear half' ? Math.floor(length / 2) : 0
  return 'a'.repeat(cheap) + han(length - cheap)
}

function drawn(alphabet: string, length: number): string {
  const random = generator(length)
  let text = ''
  while (text.length < length) text += alphabet[random(alphabet.length)] ?? ''
  return text
}

function han(length: number): string {
  const random = generator(length)
  let text = ''
  while (text.length < length) text += String.fromCodePoint(0x4e_00 + random(20_000))
  return text
}

/** Whole numbers below a bound, by mulberry32. */
function generator(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
