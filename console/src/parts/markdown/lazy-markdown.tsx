import { chakra } from '@chakra-ui/react'
import { lazy, Suspense } from 'react'

const Markdown = lazy(() => import('./markdown.tsx'))

/** Markdown of an operator (see `Markdown`), as plain text until what draws it has been loaded. */
export function LazyMarkdown({ text }: { text: string }) {
  return (
    <Suspense
      fallback={
        <chakra.div aria-busy whiteSpace="pre-line" overflowWrap="anywhere">
          {text}
        </chakra.div>
      }
    >
      <Markdown text={text} />
    </Suspense>
  )
}
