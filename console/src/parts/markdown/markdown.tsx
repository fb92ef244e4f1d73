import { chakra } from '@chakra-ui/react'
import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import ReactMarkdown, { defaultUrlTransform } from 'react-markdown'
import rehypeRaw from 'rehype-raw'
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize'
import remarkGfm from 'remark-gfm'

/**
 * An operator's text in Markdown as GitHub has it, with the HTML in it that can do no harm: scripts, styles, frames and handlers are
 * taken out. Ids in it, footnotes' too, are of this text alone, and its links to them lead there. Heavy for what it
 * does: load it lazily, by `LazyMarkdown`.
 */
export default function Markdown({ text }: { text: string }) {
  const { t } = useTranslation()
  const prefix = `user-content-${useId().replaceAll(/\W/g, '')}-`
  return (
    <chakra.div css={LOOK}>
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[rehypeRaw, [rehypeSanitize, { ...defaultSchema, clobberPrefix: prefix }]]}
        remarkRehypeOptions={{
          // The sanitiser gives all ids their prefix.
          clobberPrefix: '',
          footnoteLabel: t('markdown.footnotes'),
          footnoteBackLabel: (reference, again) =>
            t('markdown.backTo', { number: numberOf(reference, again) }),
        }}
        urlTransform={(url) =>
          /^#./.test(url) ? `#${prefix}${url.slice(1)}` : defaultUrlTransform(url)
        }
        components={{ table: Table }}
      >
        {text}
      </ReactMarkdown>
    </chakra.div>
  )
}

/** A reference’s number as read: `reference` counts footnotes from 0, `again` the references to the same one from 1. */
const numberOf = (reference: number, again: number): string =>
  again > 1 ? `${reference + 1}-${again}` : String(reference + 1)

/** A table scrolls sideways by itself where it is wider than the page. */
function Table({ children }: { children?: ReactNode }) {
  return (
    <chakra.div overflowX="auto" position="relative" tabIndex={0}>
      <table>{children}</table>
    </chakra.div>
  )
}

/** The reset of the design system takes the browser's own look of these elements away. */
const LOOK = {
  overflowWrap: 'anywhere',
  '&& > * + *': { mt: '3' },
  '& h1': { fontSize: '2xl', fontWeight: '600', lineHeight: '1.25' },
  '& h2': { fontSize: 'xl', fontWeight: '600', lineHeight: '1.3' },
  '& h3, & h4, & h5, & h6': { fontWeight: '600' },
  '& ul': { listStyle: 'disc', ps: '5' },
  '& ol': { listStyle: 'decimal', ps: '5' },
  '& a': { color: 'teal.fg', textDecoration: 'underline' },
  '& code': { fontFamily: 'mono', fontSize: '0.9em' },
  '& pre': { overflowX: 'auto', p: '3', bg: 'bg.muted', borderRadius: 'sm' },
  '& blockquote': { ps: '3', borderInlineStartWidth: '2px', borderColor: 'border' },
  '& th, & td': {
    px: '3',
    py: '1.5',
    borderWidth: '1px',
    borderColor: 'border',
    overflowWrap: 'normal',
  },
  '& th': { bg: 'bg.muted', fontWeight: '600' },
  '& img': { maxW: 'full' },
  '& sup': { fontSize: '0.75em', verticalAlign: 'super', lineHeight: '0' },
  '& .footnotes': { pt: '3', borderTopWidth: '1px', borderColor: 'border', fontSize: 'sm' },
  '& .sr-only': { srOnly: true },
} as const
