type Fields = Readonly<Record<string, unknown>>

/**
 * The texts with which pi describes to a model what it can't show: summaries and commands. Source: pi-coding-agent,
 * `convertToLlm`
 */
export const piText = {
  compaction: (summary: string): string =>
    `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${summary}\n</summary>`,
  branch: (summary: string): string =>
    `The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${summary}</summary>`,
  command: ({ command, output, cancelled, exitCode, truncated, fullOutputPath }: Fields): string => {
    const text = `Ran \`${textOf(command)}\`\n${textOf(output) === '' ? '(no output)' : `\`\`\`\n${textOf(output)}\n\`\`\``}`
    const end =
      cancelled === true
        ? '\n\n(command cancelled)'
        : typeof exitCode === 'number' && exitCode !== 0
          ? `\n\nCommand exited with code ${exitCode}`
          : ''
    return (
      text +
      end +
      (truncated === true && typeof fullOutputPath === 'string'
        ? `\n\n[Output truncated. Full output: ${fullOutputPath}]`
        : '')
    )
  },
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
