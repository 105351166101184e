#!/bin/sh
# a day.
