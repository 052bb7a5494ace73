import { Option } from 'commander';

/** Commander's option, with what completion and the check of useless options need. */
export class CliOption extends Option {
  /** Gives values that the shell completes. Other values may be valid too. */
  candidates = (_environment: NodeJS.ProcessEnv): readonly string[] => this.argChoices ?? [];
  /** True for a list of values with commas between them. */
  isList = false;
  /** True for a setting. A command that does not need the setting ignores it, as it ignores a variable of the environment. */
  isSetting = false;
}
