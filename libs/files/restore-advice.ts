/**
 * What to do about a file of a data folder that is damaged, missing or not the right one. A file from another backup than the
 * rest would be older or newer than they are.
 */
export const PUT_BACK = 'put it back from the same backup as the other files';
