/** The file in a backup that says how the last drill ended. */
export const DRILL_FILE = 'drill.json';
