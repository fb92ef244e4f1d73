import type { Language } from './texts.ts'

/** Letters that together need every font of a language's screens. */
const SAMPLES: Readonly<Record<Language, readonly string[]>> = { zh: ['a', '文'], en: ['a'] }
/** The font weights of the first pages, commonest first. */
const WEIGHTS = [400, 500, 600, 650] as const

/**
 * Lets the browser find the page's fonts while the scripts are still on their way. The first layout of the screen would
 * otherwise look for all of them in one task (about 40 ms, on a slow phone 0.2 s). Each letter of each weight is a task
 * of its own, after the first picture.
 */
export function findFonts(language: Language): void {
  const samples = WEIGHTS.flatMap((weight) => SAMPLES[language].map((text) => ({ weight, text })))
  const probe = document.createElement('span')
  probe.ariaHidden = 'true'
  probe.style.cssText = 'position:absolute;top:0;visibility:hidden'
  const next = (): void => {
    const sample = samples.shift()
    if (!sample) return probe.remove()
    probe.style.fontWeight = String(sample.weight)
    probe.textContent = sample.text
    document.body.append(probe)
    // Asking for the size lays the letter out now.
    probe.getBoundingClientRect()
    setTimeout(next)
  }
  requestAnimationFrame(() => setTimeout(next))
}
