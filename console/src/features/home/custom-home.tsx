import { Box } from '@chakra-ui/react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useTheme } from '../../core/theme.ts'
import { LazyMarkdown } from '../../parts/markdown/lazy-markdown.tsx'

/** The operator's own front page: an address becomes a frame told of theme and language, anything else is Markdown. */
export function CustomHome({ content }: { content: string }) {
  if (content.startsWith('https://')) return <FramedHome address={content} />
  return (
    <Box maxW="860px" mx="auto" px="4" py="10" fontSize="md">
      <LazyMarkdown text={content} />
    </Box>
  )
}

function FramedHome({ address }: { address: string }) {
  const { t, i18n } = useTranslation()
  const [themeMode] = useTheme()
  const frame = useRef<HTMLIFrameElement>(null)
  const { language } = i18n
  const tell = () => {
    frame.current?.contentWindow?.postMessage({ themeMode }, new URL(address).origin)
    frame.current?.contentWindow?.postMessage({ lang: language }, new URL(address).origin)
  }
  useEffect(tell, [themeMode, language, address])
  return (
    <iframe
      ref={frame}
      src={address}
      title={t('frame.home')}
      onLoad={tell}
      // oxlint-disable-next-line react/iframe-missing-sandbox -- the operator's own page, of another origin: its scripts need that origin's storage, and cannot reach ours.
      sandbox="allow-scripts allow-same-origin allow-forms allow-popups"
      style={{ border: 0, width: '100%', height: 'calc(100dvh - 48px)', display: 'block' }}
    />
  )
}
