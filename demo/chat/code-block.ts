import { copyButton } from '../ui/copy-button.ts'
import { h } from '../ui/dom.ts'
import { highlightWhenSeen } from './highlight-seen.ts'

/** What people call a language, where that is not what they write after the fence. */
const names: Readonly<Record<string, string>> = {
  bash: 'Bash',
  c: 'C',
  cpp: 'C++',
  cs: 'C#',
  csharp: 'C#',
  css: 'CSS',
  diff: 'Diff',
  go: 'Go',
  html: 'HTML',
  java: 'Java',
  javascript: 'JavaScript',
  js: 'JavaScript',
  json: 'JSON',
  jsx: 'JSX',
  php: 'PHP',
  py: 'Python',
  python: 'Python',
  ruby: 'Ruby',
  rust: 'Rust',
  sh: 'Shell',
  sql: 'SQL',
  ts: 'TypeScript',
  tsx: 'TSX',
  typescript: 'TypeScript',
  xml: 'XML',
  yaml: 'YAML',
  yml: 'YAML',
}

/** Frames the code of a message: its language and a button that copies it above, the code below in colours. */
export function frameCode(block: HTMLPreElement): void {
  const code = block.querySelector('code') ?? block
  const language = code.dataset['language'] ?? ''
  const name = names[language] ?? (language || 'Code')
  const frame = h('div', { class: 'code-block', 'data-testid': 'code-block', dir: 'ltr' })
  block.replaceWith(frame)
  block.tabIndex = 0
  block.setAttribute('aria-label', name === 'Code' ? 'Code' : `${name} code`)
  block.setAttribute('role', 'region')
  frame.append(
    h(
      'div',
      { class: 'code-head' },
      h('span', { class: 'code-language' }, name),
      copyButton(() => block.textContent ?? '', 'Copy code', 'Copy'),
    ),
    block,
  )
  if (language !== '') highlightWhenSeen(code, language)
}
