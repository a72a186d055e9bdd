import { applyDecorators, Delete, HttpCode, Post, Put } from '@nestjs/common';

/** A POST that answers 200: every success does, except creating a batch (ruling A8). */
export const PostCall = (path: string): MethodDecorator => applyDecorators(Post(path), HttpCode(200));
export const PutCall = (path: string): MethodDecorator => applyDecorators(Put(path), HttpCode(200));
export const DeleteCall = (path: string): MethodDecorator => applyDecorators(Delete(path), HttpCode(200));
