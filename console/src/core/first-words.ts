import { firstCall } from './first-call.ts'
import { clientAddress, statusOfLastVisit } from './last-status.ts'

/** The part of the first texts that is drawn ahead of everything else. */
interface FirstTexts {
  readonly home: { readonly headline: string; readonly lead: string }
  readonly frame: { readonly demoBanner: string }
}

/** The local key of the operator's own home page as this browser saw it last, from the console's contract. */
export const HOME_CONTENT_KEY = 'home_page_content'

/**
 * Writes words where they will stand, as soon as their texts are there: a slow line shows them seconds before the
 * scripts that draw the page, which then put the same words in their place. They are a demonstration's banner, and the
 * home page's headline, lead and example where the operator has no home page of their own.
 */
export async function drawFirstWords(path: string, texts: Promise<object>): Promise<void> {
  const { frame, home } = (await texts) as FirstTexts
  const bar = document.querySelector('.first-look')
  const status = statusOfLastVisit()
  // Gone where the page was quicker.
  if (status?.demo) bar?.before(withText('aside', frame.demoBanner, 'first-banner'))
  if (path !== '/' || localStorage.getItem(HOME_CONTENT_KEY)) return
  const words = document.createElement('div')
  words.className = 'first-words'
  words.append(
    withText('p', home.headline),
    withText('p', home.lead),
    withText('pre', firstCall(clientAddress(status))),
  )
  bar?.after(words)
}

function withText(tag: 'aside' | 'p' | 'pre', text: string, className = ''): HTMLElement {
  const element = document.createElement(tag)
  element.className = className
  element.textContent = text
  return element
}
