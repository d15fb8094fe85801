import { FLAGS, variableOf } from './flags.js'

const column = 24

/** What `--help` prints. */
export function help() {
  const options = [
    ...FLAGS.flatMap((flag) => [
      `  ${`--${flag.name} <${flag.value}>`.padEnd(column)}${flag.says}`,
      `  ${''.padEnd(column)}Default: ${flag.standard}. Environment: ${variableOf(flag)}`,
    ]),
    `  ${'-h, --help'.padEnd(column)}Prints this.`,
    `  ${'--version'.padEnd(column)}Prints the version.`,
  ]
  return `keepsession's sync server

Usage: npx keepsession-sync-server [options]

Options take precedence over the environment, and that over the file of --config.

${options.join('\n')}

It prints its address once it listens, and runs until SIGTERM or SIGINT, after which it finishes what it is storing.

Exit codes
  0  stopped by a signal, or help or version printed
  1  could not start: the port or the folder is in use, or the database cannot be reached
  2  an option is unknown or invalid; nothing was started
`
}
