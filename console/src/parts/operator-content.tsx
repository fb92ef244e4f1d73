import { Box } from '@chakra-ui/react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useTheme } from '../core/theme.ts'
import { LazyMarkdown } from './markdown/lazy-markdown.tsx'

/**
 * A page of the operator's own: an https address becomes a frame that is told of theme and language, anything else is
 * Markdown with the HTML in it that can do no harm. `title` names the frame.
 */
export function OperatorContent({ content, title }: { content: string; title: string }) {
  const text = content.trim()
  if (isAddress(text)) return <Framed key={text} address={text} title={title} />
  return (
    <Box maxW="860px" mx="auto" px="4" py="10" fontSize="md">
      <LazyMarkdown text={content} />
    </Box>
  )
}

/** A text may begin like an address and go on as prose. */
const isAddress = (text: string): boolean => /^https:\/\/\S+$/.test(text) && URL.canParse(text)

function Framed({ address, title }: { address: string; title: string }) {
  const { i18n } = useTranslation()
  const [themeMode] = useTheme()
  const frame = useRef<HTMLIFrameElement>(null)
  const { language } = i18n
  const [isLoaded, setLoaded] = useState(false)
  useEffect(() => {
    // Before it has loaded, the frame's window is still of this origin, and would not hear what is for the other.
    if (!isLoaded) return
    frame.current?.contentWindow?.postMessage({ themeMode }, new URL(address).origin)
    frame.current?.contentWindow?.postMessage({ lang: language }, new URL(address).origin)
  }, [isLoaded, themeMode, language, address])
  return (
    <iframe
      ref={frame}
      src={address}
      title={title}
      onLoad={() => setLoaded(true)}
      // oxlint-disable-next-line react/iframe-missing-sandbox -- the operator's own page, of another origin: its scripts need that origin's storage, and cannot reach ours.
      sandbox="allow-scripts allow-same-origin allow-forms allow-popups"
      style={{
        border: 0,
        width: '100%',
        height: 'calc(100dvh - var(--frame-top))',
        display: 'block',
      }}
    />
  )
}
