/** The part of the first texts that is drawn ahead of everything else. */
interface FirstTexts {
  readonly home: { readonly headline: string; readonly lead: string }
}

/**
 * Writes the home page's first words where they will stand, as soon as their texts are there: a slow line shows them
 * seconds before the scripts that draw the page, which then put the same words in their place.
 */
export async function drawFirstWords(path: string, texts: Promise<object>): Promise<void> {
  if (path !== '/') return
  const { home } = (await texts) as FirstTexts
  const words = document.createElement('div')
  words.className = 'first-words'
  for (const text of [home.headline, home.lead]) {
    const line = document.createElement('p')
    line.textContent = text
    words.append(line)
  }
  // Gone where the page was quicker.
  document.querySelector('.first-look')?.after(words)
}
